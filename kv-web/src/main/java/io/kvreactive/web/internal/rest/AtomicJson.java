package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.CommitResult;
import io.kvreactive.KvRange;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.JsonInput;
import io.kvreactive.protocol.Members;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.RangeCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * A request to commit checks, mutations and messages.
 *
 * @param commit the commit, which has the checks of keys before those of ranges
 * @param positions the index of each of these checks in the request
 */
record AtomicJson(Commit commit, List<Integer> positions) {
  private static final String VERSIONSTAMP = "versionstamp";
  private static final String UNCHANGED_SINCE = "unchangedSince";

  /**
   * Parses a request. The commit has no id.
   *
   * @param place the name of the object, for messages
   * @param clock the clock of the store, in milliseconds since 1970
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   * @throws io.kvreactive.KvException for invalid keys, values and ranges
   */
  static AtomicJson read(JsonNode json, String place, LongSupplier clock) {
    Members<?> body = StrictJson.input(json, place).members("checks", "mutations", "enqueues");
    List<Check> ofKeys = new ArrayList<>();
    List<RangeCheck> ofRanges = new ArrayList<>();
    List<Integer> positions = new ArrayList<>();
    List<Integer> positionsOfRanges = new ArrayList<>();
    for (Object check : body.readList("checks", JsonForm.reading(AtomicJson::check))) {
      int position = ofKeys.size() + ofRanges.size();
      if (check instanceof Check ofKey) {
        ofKeys.add(ofKey);
        positions.add(position);
      } else {
        ofRanges.add((RangeCheck) check);
        positionsOfRanges.add(position);
      }
    }
    positions.addAll(positionsOfRanges);
    Commit commit =
        new Commit(
            ofKeys,
            ofRanges,
            body.readList("mutations", JsonForm.reading(in -> MutationJson.of(clock, in))),
            body.readList("enqueues", JsonForm.reading(in -> MutationJson.enqueue(clock, in))),
            null);
    return new AtomicJson(commit, positions);
  }

  /** Returns a check of a key or of a range. */
  private static Object check(JsonInput in) {
    boolean isOfRange =
        Stream.of(UNCHANGED_SINCE, RangeParams.PREFIX, RangeParams.START, RangeParams.END)
            .anyMatch(in.json()::has);
    if (!isOfRange) {
      Members<?> check = in.members("key", VERSIONSTAMP);
      return new Check(
          check.read("key", JsonForm.STORED_KEY).bytes(),
          check.read(VERSIONSTAMP, JsonForm.JSON).isNull()
              ? null
              : check.read(VERSIONSTAMP, JsonForm.VERSIONSTAMP));
    }
    Members<?> check =
        in.members(RangeParams.PREFIX, RangeParams.START, RangeParams.END, UNCHANGED_SINCE);
    KvRange range = RangeParams.explicit(check);
    return new RangeCheck(
        range.startBytes(),
        range.endBytes(),
        check.read(UNCHANGED_SINCE, JsonForm.VERSIONSTAMP),
        0);
  }

  /** Returns the indexes of the failed checks in the request, ascending. */
  List<Integer> failedChecks(CommitResult result) {
    return result.failedChecks().stream().map(positions::get).sorted().toList();
  }
}
