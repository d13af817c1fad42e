/**
 * The toolkit. Open {@link io.kvreactive.Kv} first, then {@link io.kvreactive.KvKey} and {@link
 * io.kvreactive.AtomicOperation}.
 */
@NullMarked
@Value.Style(
    builderVisibilityString = "PACKAGE",
    jdkOnly = true,
    allowedClasspathAnnotations = Override.class)
package io.kvreactive;

import org.immutables.value.Value;
import org.jspecify.annotations.NullMarked;
