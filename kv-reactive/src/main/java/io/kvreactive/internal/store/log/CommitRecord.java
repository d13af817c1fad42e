package io.kvreactive.internal.store.log;

import java.util.List;

/**
 * What one commit changed.
 *
 * @param version of the commit
 * @param millis when it was made durable, milliseconds since 1970
 * @param effects what it changed
 */
public record CommitRecord(long version, long millis, List<AppliedMutation> effects) {}
