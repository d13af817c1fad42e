package io.kvreactive.spi;

import io.kvreactive.Versionstamp;
import java.util.List;

/**
 * What was read, all at one version.
 *
 * @param snapshot the newest commit that the read saw
 * @param pages one for each range, in order; later ones may be missing, see {@link KvEngine#read}
 */
public record ReadResult(Versionstamp snapshot, List<RangePage> pages) {}
