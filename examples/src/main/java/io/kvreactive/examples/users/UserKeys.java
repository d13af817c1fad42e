package io.kvreactive.examples.users;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import java.util.Locale;

/**
 * The keys of users and of their indexes.
 *
 * @param root the prefix of all keys, so that the store can have other entries
 */
public record UserKeys(KvKey root) {
  /** Returns the key of a user. */
  public KvKey user(String id) {
    return root.append("users", id);
  }

  /**
   * Returns the key of the pointer from an e-mail address to a user's id. There is one user per
   * key, so the index is unique.
   */
  public KvKey byEmail(String email) {
    return root.append("users_by_email", lower(email));
  }

  /**
   * Returns the key of the pointer from a colour to a user's id. The key ends with the id, so that
   * users can share a colour.
   */
  public KvKey byColour(User user) {
    return root.append("users_by_colour", user.colour(), user.id());
  }

  /** Returns the key of the old index by e-mail address, which contains a copy of the user. */
  public KvKey copyByEmail(String email) {
    return root.append("users_by_email_copy", lower(email));
  }

  public KvRange users() {
    return KvRange.prefix(root.append("users"));
  }

  public KvRange emails() {
    return KvRange.prefix(root.append("users_by_email"));
  }

  public KvRange ofColour(String colour) {
    return KvRange.prefix(root.append("users_by_colour", colour));
  }

  public KvRange colours() {
    return KvRange.prefix(root.append("users_by_colour"));
  }

  public KvRange copies() {
    return KvRange.prefix(root.append("users_by_email_copy"));
  }

  /** Returns the range of all users and indexes. */
  public KvRange everything() {
    return KvRange.prefix(root);
  }

  private static String lower(String email) {
    return email.toLowerCase(Locale.ROOT);
  }
}
