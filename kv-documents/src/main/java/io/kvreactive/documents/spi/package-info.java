/**
 * The interfaces for modules that add kinds of indexes and query functions, and for clients of a
 * server. Start with {@link io.kvreactive.documents.spi.IndexExtension} and {@link
 * io.kvreactive.documents.spi.DocumentConnector}.
 */
@API(status = API.Status.EXPERIMENTAL)
@NullMarked
package io.kvreactive.documents.spi;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
