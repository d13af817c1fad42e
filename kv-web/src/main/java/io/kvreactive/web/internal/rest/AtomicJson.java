package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Parses commits with checks, mutations and messages. */
public final class AtomicJson {
  private AtomicJson() {}

  /**
   * Parses a commit without an id.
   *
   * @param place the name of the object, for messages
   * @param clock the clock of the store, in milliseconds since 1970
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   * @throws io.kvreactive.KvException for invalid keys, values and ranges
   */
  public static Commit read(JsonNode commit, String place, LongSupplier clock) {
    JsonFields body = JsonFields.of(commit, place, "checks", "mutations", "enqueues");
    List<Check> checks = new ArrayList<>();
    for (JsonNode json : body.elements("checks")) {
      JsonFields check =
          JsonFields.of(json, "checks[" + checks.size() + "]", "key", "versionstamp");
      checks.add(new Check(check.storedKey("key").bytes(), check.versionstamp("versionstamp")));
    }
    List<Mutation> mutations = new ArrayList<>();
    for (JsonNode json : body.elements("mutations")) {
      mutations.add(MutationJson.of(clock, json, "mutations[" + mutations.size() + "]"));
    }
    List<Enqueue> enqueues = new ArrayList<>();
    for (JsonNode json : body.elements("enqueues")) {
      enqueues.add(MessageJson.enqueue(clock, json, "enqueues[" + enqueues.size() + "]"));
    }
    return new Commit(checks, List.of(), mutations, enqueues, null);
  }
}
