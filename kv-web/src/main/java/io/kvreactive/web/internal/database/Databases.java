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
   * Whether a database is not there and may be made by this caller. Emits on the subscriber's
   * context. Errors: as of {@link #open}, when it is not there and may not be made.
   */
  Mono<Boolean> absent(String name, Grant grant);

  /**
   * Opens a database; when it does not exist, the request may make it and the server makes
   * databases, makes it for callers that have ADMIN access. Emits on the subscriber's context.
   * Errors: NO_SUCH_DATABASE, FORBIDDEN.
   *
   * @param make whether this is a request that makes what is not there, see {@link
   *     DatabaseCreation}
   */
  Mono<Database> open(String name, Grant grant, boolean make);

  /** Those that are open. */
  List<Database> opened();

  /** Closes what this opened. */
  Mono<Void> close();
}
