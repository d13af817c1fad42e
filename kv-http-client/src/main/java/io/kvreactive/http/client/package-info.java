/**
 * The client kernel that the clients of servers share: exchanges, repetition by safety, streams
 * over WebSockets, problems and addresses. Open {@link io.kvreactive.http.client.HttpTransport}
 * first, then {@link io.kvreactive.http.client.RetryingCall}, which has the rules for repetition,
 * and {@link io.kvreactive.http.client.RemoteStream}.
 *
 * <p>This package is internal to the modules of this project. It is no contract and may change in
 * any release.
 */
@NullMarked
package io.kvreactive.http.client;

import org.jspecify.annotations.NullMarked;
