"""Forms about machine evidence."""
