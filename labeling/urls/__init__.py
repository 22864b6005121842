"""Routes, one module per noun; `config.urls` includes them all."""
