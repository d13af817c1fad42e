package io.kvreactive.http.client;

import com.fasterxml.jackson.databind.JsonNode;

/** The conversions in which the clients of streams differ. */
public interface StreamCodec {
  /** Parses a message. */
  JsonNode parse(byte[] json);

  /** Returns compact JSON; lone surrogates are escaped. */
  String text(JsonNode json);

  /** Returns the failure for an error of the server. */
  AttemptFailure failure(ServerProblem problem);
}
