package io.kvreactive.connect.internal;

import com.google.protobuf.MessageLite;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Limits;
import io.kvreactive.http.client.HttpCall.Safety;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Creates requests of the data path and reads their responses. */
final class DataPathRequests {
  private DataPathRequests() {}

  static URI uri(DatabaseMetadata metadata, int endpoint, String method) {
    int index = Math.floorMod(endpoint, metadata.endpoints().size());
    return URI.create(metadata.endpoints().get(index) + "/" + method);
  }

  static MultiMap headers(DatabaseMetadata metadata) {
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap()
            .add(HttpHeaders.AUTHORIZATION, "Bearer " + metadata.token())
            .add(HttpHeaders.CONTENT_TYPE, ConnectProtocol.PROTOBUF);
    String database = metadata.databaseId().toString();
    return metadata.version() == 1
        ? headers.add(ConnectProtocol.DOMAIN_HEADER, database)
        : headers
            .add(ConnectProtocol.DATABASE_HEADER, database)
            .add(ConnectProtocol.VERSION_HEADER, Integer.toString(metadata.version()));
  }

  /** Returns a request that has no effect. */
  static HttpCall read(URI uri, DatabaseMetadata metadata, Buffer body, Limits limits) {
    return new HttpCall(
        HttpMethod.POST, uri, headers(metadata), body, limits, Safety.REPEATABLE, true);
  }

  static Buffer body(MessageLite message) {
    return Buffer.buffer(message.toByteArray());
  }

  /** Returns the body of a response that is a message according to the server. */
  static byte[] message(HttpAnswer answer, URI uri) {
    if (answer.status() != 200) {
      throw ErrorResponses.of(uri, answer);
    }
    @Nullable String type = answer.headers().get(HttpHeaders.CONTENT_TYPE);
    if (type == null || !type.startsWith("application/") || !type.contains("protobuf")) {
      throw AttemptFailure.malformed("content-type: " + type + " from " + uri);
    }
    return answer.body().getBytes();
  }
}
