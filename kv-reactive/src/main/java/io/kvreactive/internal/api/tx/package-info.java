/**
 * Transactions: a snapshot overlaid by the transaction's writes, the read set, and the attempts to
 * commit. Open {@code Transactions} first, then {@code EngineTransaction}.
 */
@NullMarked
package io.kvreactive.internal.api.tx;

import org.jspecify.annotations.NullMarked;
