/** Checks of a store on PostgreSQL under faults. Open first: {@code FailoverCommand}. */
@NullMarked
package io.kvreactive.bench.torture;

import org.jspecify.annotations.NullMarked;
