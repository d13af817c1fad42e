package io.kvreactive.web.internal.database;

import io.kvreactive.web.internal.auth.Grant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The databases of a server. Thread-safe. */
public interface Databases {
  /** The name of the default database, which is served at the root. */
  String DEFAULT = "default";

  /** Returns a database that is open already, otherwise null. */
  @Nullable Database openNow(String name);

  /**
   * Emits true if a database does not exist and this caller may create it. Emits on the
   * subscriber's context. Errors: those of {@link #open} if the database neither exists nor may be
   * created.
   */
  Mono<Boolean> absent(String name, Grant grant);

  /**
   * Opens a database. Creates a database that does not exist if the request and the server's
   * options allow it and the caller has ADMIN access. Emits on the subscriber's context. Errors:
   * NO_SUCH_DATABASE, FORBIDDEN.
   *
   * @param make true if the request may create the database, see {@link DatabaseCreation}
   */
  Mono<Database> open(String name, Grant grant, boolean make);

  /** Returns the open databases. */
  List<Database> opened();

  /** Closes the databases that this object has opened. */
  Mono<Void> close();
}
