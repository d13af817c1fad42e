/**
 * Collections of JSON documents with declared secondary indexes and queries, over any {@code Kv}.
 */
@NullMarked
package io.kvreactive.index;

import org.jspecify.annotations.NullMarked;
