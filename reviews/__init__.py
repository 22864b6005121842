"""Machine evidence only: tools, runs, AI findings, matching, rulings, scorecards."""
