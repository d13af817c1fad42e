/**
 * The HTTP client kernel that the clients of servers share: exchanges, repetition by safety,
 * problems and addresses. Open {@link io.kvreactive.http.client.HttpTransport} first, then {@link
 * io.kvreactive.http.client.RetryingCall}, which has the rules for repetition.
 *
 * <p>This package is internal to the modules of this project. It is no contract and may change in
 * any release.
 */
@NullMarked
package io.kvreactive.http.client;

import org.jspecify.annotations.NullMarked;
