/**
 * {@code Kv} over any engine: encodes and decodes values, reads pages on demand, and emits on the
 * subscriber's context. Open {@code EngineKv} first.
 */
@NullMarked
package io.kvreactive.internal.api;

import org.jspecify.annotations.NullMarked;
