"""Every write, one module per noun, one function per transition."""
