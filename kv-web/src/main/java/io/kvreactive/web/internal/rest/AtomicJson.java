package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.Members;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import java.util.List;
import java.util.function.LongSupplier;

/** Parses commits with checks, mutations and messages. */
public final class AtomicJson {
  private static final JsonForm<Check> CHECK =
      JsonForm.reading(
          in -> {
            Members<?> check = in.members("key", "versionstamp");
            return new Check(
                check.read("key", JsonForm.STORED_KEY).bytes(),
                check.read("versionstamp", JsonForm.JSON).isNull()
                    ? null
                    : check.read("versionstamp", JsonForm.VERSIONSTAMP));
          });

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
    Members<?> body = StrictJson.input(commit, place).members("checks", "mutations", "enqueues");
    return new Commit(
        body.readList("checks", CHECK),
        List.of(),
        body.readList("mutations", JsonForm.reading(in -> MutationJson.of(clock, in))),
        body.readList("enqueues", JsonForm.reading(in -> MessageJson.enqueue(clock, in))),
        null);
  }
}
