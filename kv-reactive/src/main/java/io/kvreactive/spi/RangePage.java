package io.kvreactive.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one {@link ReadRange}.
 *
 * @param entries the entries in the order of the read; fewer than the limit if the range ended, or
 *     if the engine's budget of bytes for one page was spent
 * @param resumeAfter the last key of the page, after which the rest starts (before it in a reverse
 *     read); null if the range was read to its end
 */
public record RangePage(List<StoredEntry> entries, byte @Nullable [] resumeAfter) {}
