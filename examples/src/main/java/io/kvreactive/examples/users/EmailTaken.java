package io.kvreactive.examples.users;

/** Thrown if another user has the e-mail address. */
public final class EmailTaken extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public EmailTaken(String email) {
    super("e-mail address taken: " + email, null, false, false);
  }
}
