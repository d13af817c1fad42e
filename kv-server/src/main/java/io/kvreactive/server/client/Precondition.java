package io.kvreactive.server.client;

import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a request that changes one resource.
 *
 * @param versionstamp the versionstamp that the resource must have; null for any
 * @param isAbsent true if the resource must not exist
 */
public record Precondition(@Nullable Versionstamp versionstamp, boolean isAbsent) {
  public static final Precondition NONE = new Precondition(null, false);
  public static final Precondition ABSENT = new Precondition(null, true);
}
