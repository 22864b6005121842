package fieldstone.reporting;

/** One account of a branch. */
public record Account(String number, String branch, String owner) {}
