package io.kvreactive.internal.store.memtable;

import io.kvreactive.KvValue;
import org.jspecify.annotations.Nullable;

/**
 * What a key came to at a version.
 *
 * @param version the commit that wrote it
 * @param value the value, or null when the commit deleted the key
 */
public record VersionedValue(long version, @Nullable KvValue value) {}
