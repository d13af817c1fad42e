/** Small files outside the stores: watched for changes, and replaced atomically. */
@NullMarked
package io.kvreactive.web.internal.files;

import org.jspecify.annotations.NullMarked;
