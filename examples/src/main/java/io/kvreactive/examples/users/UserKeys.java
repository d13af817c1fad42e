package io.kvreactive.examples.users;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import java.util.Locale;

/**
 * Where users and their indexes are.
 *
 * @param root what all keys begin with, so that other things can be in the same store
 */
public record UserKeys(KvKey root) {
  /** The user. */
  public KvKey user(String id) {
    return root.append("users", id);
  }

  /** Holds the id: a pointer. One user per key, so the index is unique. */
  public KvKey byEmail(String email) {
    return root.append("users_by_email", lower(email));
  }

  /** Holds the id. The key ends with it, so that users can share a colour. */
  public KvKey byColour(User user) {
    return root.append("users_by_colour", user.colour(), user.id());
  }

  /** How e-mail addresses used to be indexed: the key holds a copy of the whole user. */
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

  /** Users and indexes. */
  public KvRange everything() {
    return KvRange.prefix(root);
  }

  private static String lower(String email) {
    return email.toLowerCase(Locale.ROOT);
  }
}
