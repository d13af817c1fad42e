/**
 * The implementation of the client. Start with {@link
 * io.kvreactive.documents.client.internal.RemoteDocumentCollection}, {@link
 * io.kvreactive.documents.client.internal.RestCaller} and {@link
 * io.kvreactive.documents.client.internal.LiveRowsProtocol}.
 */
@NullMarked
package io.kvreactive.documents.client.internal;

import org.jspecify.annotations.NullMarked;
