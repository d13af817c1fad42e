package io.kvreactive.spi;

import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * A condition of a commit.
 *
 * @param key the encoded key; not copied, must not be changed
 * @param versionstamp the stamp that the key must have, or null if it must be absent
 */
public record Check(byte[] key, @Nullable Versionstamp versionstamp) {}
