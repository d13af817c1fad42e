/**
 * The nodes of a MapDB {@code BTreeMap}, read and written without MapDB's tree: its node format,
 * the form of keys and values in a node, lookups, descending ranges and batched changes. Nothing
 * outside knows the format. {@code MapDbNodeContractTest} checks it against MapDB itself. Open
 * {@code ImageNode} first, then {@code LeafBatchWriter}.
 */
@NullMarked
package io.kvreactive.internal.store.image.nodes;

import org.jspecify.annotations.NullMarked;
