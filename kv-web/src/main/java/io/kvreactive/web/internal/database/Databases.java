package io.kvreactive.web.internal.database;

import io.kvreactive.web.internal.auth.Grant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The databases that a server serves. Safe on any thread. */
public interface Databases {
  /** The name of the database at the root. */
  String DEFAULT = "default";

  /** A database that is open already, else null. */
  @Nullable Database openNow(String name);

  /**
   * Opens a database; makes it when it does not exist, the server makes databases, and the caller
   * has ADMIN access. Emits on the subscriber's context. Error: NOT_FOUND.
   */
  Mono<Database> open(String name, Grant grant);

  /** Those that are open. */
  List<Database> opened();

  /** Closes what this opened. */
  Mono<Void> close();
}
