package io.kvreactive.internal.store.log;

import io.kvreactive.spi.StoredChange;
import java.util.List;

/**
 * A commit with its effects.
 *
 * @param version the version of the commit
 * @param millis the time of the commit, in milliseconds since 1970
 * @param effects the effects
 */
public record CommitRecord(long version, long millis, List<StoredChange> effects) {}
