"""HTTP in and out: parse, one service call, render."""
