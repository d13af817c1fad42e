package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * The contract cases that KV Connect cannot do, and how each has to fail: what is listed here and
 * passes, or fails in another way, is a failure.
 */
final class OutOfReach implements InvocationInterceptor {
  private static final String UNSUPPORTED = "UNSUPPORTED: ";
  private static final String COUNT = UNSUPPORTED + "count";
  private static final String TOUCH = UNSUPPORTED + "touch";
  private static final String DELETE_RANGE = UNSUPPORTED + "deleteRange";
  private static final String RANGE_CHECK = UNSUPPORTED + "a check of a range";
  private static final String RANGE_AT_SNAPSHOT = UNSUPPORTED + "a range at a snapshot";

  /** They expect another error of what is unsupported. */
  private static final String WRONG_CODE = "but was: UNSUPPORTED";

  /** Entries do not tell when they expire. */
  private static final String NO_EXPIRY = "Expecting actual not to be null";

  private static final String MANY = "LIMIT_EXCEEDED: keys: 2500 (expected: at most 1000)";

  private static final Map<String, String> CASES =
      Map.ofEntries(
          Map.entry("AtomicContract.failingChangeRollsEverythingBack", WRONG_CODE),
          Map.entry("LimitContract.boundsOfReadsHaveAtMost2049Bytes", WRONG_CODE),
          Map.entry(
              "BulkContract.checkHoldsForTheCommitItFallsIntoAndAConflictEndsIt", RANGE_CHECK),
          Map.entry("BulkContract.recordsMayExpire", NO_EXPIRY),
          Map.entry("CommitIdContract.idsAreOfTheirOwnAndNobodyReadsThem", COUNT),
          Map.entry("ExpiryContract.aSnapshotShowsOneTime", COUNT),
          Map.entry("ExpiryContract.aWatchFollowsATimeThatIsPutOff", TOUCH),
          Map.entry("ExpiryContract.changesOfOneCommitSeeEachOther", TOUCH),
          Map.entry("ExpiryContract.entriesTellWhenTheyExpire", "but was: null"),
          Map.entry("ExpiryContract.expireInCountsFromTheSubscription", NO_EXPIRY),
          Map.entry("ExpiryContract.touchChangesTheTimeAndTheStampButNotTheValue", TOUCH),
          Map.entry("ExpiryContract.touchingWhatIsAbsentDoesNothing", TOUCH),
          Map.entry("ExpiryContract.whatHasExpiredIsAbsentForEveryReader", COUNT),
          Map.entry("LinesContract.entryIsALine", RANGE_AT_SNAPSHOT),
          Map.entry("LinesContract.exportIsOfOneVersion", RANGE_AT_SNAPSHOT),
          Map.entry("LinesContract.importRestoresKeysValuesAndExpiry", RANGE_AT_SNAPSHOT),
          Map.entry("ListContract.countEqualsTheLengthOfTheList", COUNT),
          Map.entry(
              "ListContract.snapshotListKeepsItsVersionWhilePageListMovesOn", RANGE_AT_SNAPSHOT),
          Map.entry("PageContract.pagesOfEverySizeMakeTheWholeList", RANGE_AT_SNAPSHOT),
          Map.entry("ReadContract.getManyOfSeveralPagesReadsOneSnapshot", MANY),
          Map.entry("SnapshotContract.countSeesOneVersion", COUNT),
          Map.entry(
              "SnapshotContract.snapshotListSeesOneVersionInEitherDirection", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.allReadsSeeOneSnapshot", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.bodyMayChangeWhatItIsListing", RANGE_AT_SNAPSHOT),
          Map.entry(
              "TransactionContract.deletionOfAThousandKeysOfARangeIsAConflict", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.expiryOfWhatWasReadIsAConflict", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.listsItsOwnWritesInEitherDirection", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.onlyWhatWasTakenOfAListCounts", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.phantomsAreConflicts", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.readsItsOwnArithmetic", DELETE_RANGE),
          Map.entry("TransactionContract.readsItsOwnTouch", TOUCH),
          Map.entry(
              "TransactionContract.versionstampedKeyIsWrittenButNotReadBack", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.whatWasNotReadDoesNotConflict", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.writeSkewIsAConflict", RANGE_AT_SNAPSHOT),
          Map.entry("WatchContract.changesOfWatchedKeysAreEmittedAndOthersAreNot", DELETE_RANGE),
          Map.entry("WatchContract.deletedRangesTouchWatchedKeys", DELETE_RANGE));

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> test,
      ExtensionContext context)
      throws Throwable {
    Method method = test.getExecutable();
    String name = method.getDeclaringClass().getSimpleName() + "." + method.getName();
    String expected = CASES.get(name);
    if (expected == null) {
      invocation.proceed();
      return;
    }
    Throwable failure = null;
    try {
      invocation.proceed();
    } catch (Throwable e) {
      failure = e;
    }
    assertThat(failure).as(name + " is not out of reach").isNotNull();
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    assertThat(trace.toString()).contains(expected);
  }
}
