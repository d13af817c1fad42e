/**
 * JSON before it is parsed: estimates of its memory, and descriptions of syntax errors. Open {@link
 * io.kvreactive.web.internal.json.JsonErrors}.
 */
@NullMarked
package io.kvreactive.web.internal.json;

import org.jspecify.annotations.NullMarked;
