/** What is said of JSON that is none. Open {@link io.kvreactive.web.internal.json.BadJson}. */
@NullMarked
package io.kvreactive.web.internal.json;

import org.jspecify.annotations.NullMarked;
