"""Pages of machine evidence: parse, one service call, render."""
