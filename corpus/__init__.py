"""What is reviewed and what is true: projects, people, cases, diffs, golden findings, versions, manifests."""
