package io.kvreactive.examples.users;

import com.github.f4b6a3.ulid.UlidCreator;

/**
 * A user, as stored.
 *
 * @param id a monotonic ULID, so that users are listed in the order in which they signed up
 */
public record User(String id, String email, String name, String colour) {
  /** Creates a user with a new id. */
  public static User of(String email, String name, String colour) {
    return new User(UlidCreator.getMonotonicUlid().toString(), email, name, colour);
  }

  public User withEmail(String newEmail) {
    return new User(id, newEmail, name, colour);
  }

  public User withColour(String newColour) {
    return new User(id, email, name, newColour);
  }
}
