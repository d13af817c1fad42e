package io.kvreactive.web.internal.database;

import io.kvreactive.web.internal.auth.Grant;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The databases of a server. Thread-safe. */
public interface Databases {
  /** The name of the default database, whose routes are at the root. */
  String DEFAULT = "default";

  /** Returns an open database; null if the database is not open. */
  @Nullable Database openNow(String name);

  /**
   * Emits true if a database does not exist and the caller may create it, and false if it exists.
   * Emits on the subscriber's context. Errors: those of {@link #open} if the database does not
   * exist and must not be created.
   */
  Mono<Boolean> absent(String name, Grant grant);

  /**
   * Opens a database. Creates a database that does not exist if the request and the server's
   * options allow it and the caller has ADMIN access. Emits on the subscriber's context. Errors:
   * NO_SUCH_DATABASE, FORBIDDEN.
   *
   * @param make true if the request may create the database
   */
  Mono<Database> open(String name, Grant grant, boolean make);

  /** Returns the open databases. */
  List<Database> opened();

  /**
   * Emits the names of the databases that exist, open or not, in order. Emits on the subscriber's
   * context.
   */
  Mono<SortedSet<String>> names();

  /** Closes the databases that this object has opened. Completes when they are closed. */
  Mono<Void> close();
}
