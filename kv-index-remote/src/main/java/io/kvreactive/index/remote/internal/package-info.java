/**
 * The implementation of the client. Start with {@link
 * io.kvreactive.index.remote.internal.RemoteDocumentCollection}, {@link
 * io.kvreactive.index.remote.internal.RestCaller} and {@link
 * io.kvreactive.index.remote.internal.LiveRowsProtocol}.
 */
@NullMarked
package io.kvreactive.index.remote.internal;

import org.jspecify.annotations.NullMarked;
