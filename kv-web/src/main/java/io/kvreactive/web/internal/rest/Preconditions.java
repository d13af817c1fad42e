package io.kvreactive.web.internal.rest;

import io.kvreactive.Versionstamp;
import io.vertx.ext.web.RoutingContext;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the preconditions {@code If-Match} and {@code If-None-Match} of a request. An etag is a
 * versionstamp in quotes.
 */
public final class Preconditions {
  private static final Pattern ETAG = Pattern.compile("\"([0-9a-fA-F]{20})\"");

  private Preconditions() {}

  /**
   * Returns true if the entry or item to be written must not exist: for {@code If-None-Match: *}.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static boolean mustBeAbsent(RoutingContext context) {
    String match = context.request().getHeader("If-Match");
    String noneMatch = context.request().getHeader("If-None-Match");
    if (match != null && noneMatch != null) {
      throw StrictJson.bad("If-Match and If-None-Match (expected: one of them)");
    }
    if (noneMatch != null && !noneMatch.strip().equals("*")) {
      throw StrictJson.bad(
          "If-None-Match: %s (expected: *)".formatted(StrictJson.excerpt(noneMatch)));
    }
    return noneMatch != null;
  }

  /** Returns true if the item or collection to be written must exist: for {@code If-Match: *}. */
  public static boolean mustExist(RoutingContext context) {
    String match = context.request().getHeader("If-Match");
    return match != null
        && match.strip().equals("*")
        && context.request().getHeader("If-None-Match") == null;
  }

  /**
   * Returns the version that the entry or item to be written must have; null if there is no {@code
   * If-Match}.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static @Nullable Versionstamp mustMatch(RoutingContext context) {
    String match = context.request().getHeader("If-Match");
    if (match == null) {
      return null;
    }
    var tag = ETAG.matcher(match.strip());
    if (!tag.matches()) {
      throw StrictJson.bad(
          "If-Match: %s (expected: one versionstamp in quotes)"
              .formatted(StrictJson.excerpt(match)));
    }
    return Versionstamp.parse(tag.group(1));
  }

  /** Returns true if the caller of a read already has this version, by {@code If-None-Match}. */
  public static boolean isCurrent(RoutingContext context, Versionstamp version) {
    String known = context.request().getHeader("If-None-Match");
    if (known == null) {
      return false;
    }
    String tag = "\"" + version + "\"";
    for (String each : known.split(",", 64)) {
      String bare = each.strip();
      if (bare.equals("*") || bare.equals(tag) || bare.equals("W/" + tag)) {
        return true;
      }
    }
    return false;
  }
}
