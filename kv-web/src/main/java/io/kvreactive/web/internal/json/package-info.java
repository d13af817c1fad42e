/**
 * JSON before it is a tree: its weight, and what is said of text that is none. Open {@link
 * io.kvreactive.web.internal.json.JsonErrors}.
 */
@NullMarked
package io.kvreactive.web.internal.json;

import org.jspecify.annotations.NullMarked;
