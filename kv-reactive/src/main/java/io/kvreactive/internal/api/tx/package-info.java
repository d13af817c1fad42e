/**
 * Transactions: a snapshot with the transaction's own writes in front of it, what was read of it,
 * and the attempts to commit. Open {@code Transactions} first, then {@code EngineTransaction}.
 */
@NullMarked
package io.kvreactive.internal.api.tx;

import org.jspecify.annotations.NullMarked;
