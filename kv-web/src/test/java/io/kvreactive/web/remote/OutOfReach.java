package io.kvreactive.web.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * The contract cases that KV Connect does not support, with their expected failures. A listed case
 * that passes or fails differently is a failure.
 */
final class OutOfReach implements InvocationInterceptor {
  private static final String UNSUPPORTED = "UNSUPPORTED: ";
  private static final String COUNT = UNSUPPORTED + "count";
  private static final String TOUCH = UNSUPPORTED + "touch";
  private static final String DELETE_RANGE = UNSUPPORTED + "deleteRange";
  private static final String RANGE_CHECK = UNSUPPORTED + "a check of a range";
  private static final String RANGE_AT_SNAPSHOT = UNSUPPORTED + "a range at a snapshot";

  /** Part of the failure of cases that expect another error code. */
  private static final String WRONG_CODE = "but was: UNSUPPORTED";

  private static final String MANY = "LIMIT_EXCEEDED: keys: 2500 (expected: at most 1000)";

  /** The protocol has no maximum of bytes. */
  private static final String MORE_BYTES = "bytes follow those that reach";

  private static final Map<String, String> CASES =
      Map.ofEntries(
          Map.entry("AtomicContract.rollsEverythingBackOnAFailingChange", WRONG_CODE),
          Map.entry("LimitContract.limitsBoundsOfReadsTo2049Bytes", WRONG_CODE),
          Map.entry("BulkContract.checksInTheCommitOfTheCheckAndEndsOnAConflict", RANGE_CHECK),
          Map.entry("CommitIdContract.keepsIdsOutOfTheKeySpace", COUNT),
          Map.entry("ExpiryContract.readsASnapshotAtOneTime", COUNT),
          Map.entry("ExpiryContract.notifiesAWatchAtAPostponedExpiry", TOUCH),
          Map.entry("ExpiryContract.appliesChangesOfOneCommitInOrder", TOUCH),
          Map.entry("ExpiryContract.touchesTheExpiryAndStampButNotTheValue", TOUCH),
          Map.entry("ExpiryContract.ignoresATouchOfAnAbsentKey", TOUCH),
          Map.entry("ExpiryContract.hidesExpiredEntriesFromEveryReader", COUNT),
          Map.entry("LinesContract.exportsAnEntryAsALine", RANGE_AT_SNAPSHOT),
          Map.entry("LinesContract.exportsOneVersion", RANGE_AT_SNAPSHOT),
          Map.entry("LinesContract.importsKeysValuesAndExpiry", RANGE_AT_SNAPSHOT),
          Map.entry("ListContract.countsTheEntriesOfTheList", COUNT),
          Map.entry(
              "ListContract.keepsTheVersionOfASnapshotListUnlikeAPageList", RANGE_AT_SNAPSHOT),
          Map.entry("PageContract.endsAReadWithTheEntryThatReachesItsMaximumOfBytes", MORE_BYTES),
          Map.entry("PageContract.concatenatesPagesOfEverySizeToTheWholeList", RANGE_AT_SNAPSHOT),
          Map.entry("ReadContract.readsOneSnapshotInGetManyOfSeveralPages", MANY),
          Map.entry("SnapshotContract.countsAtOneVersion", COUNT),
          Map.entry(
              "SnapshotContract.readsOneVersionInASnapshotListInEitherDirection",
              RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.readsOneSnapshot", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.allowsChangesToARangeBeingListed", RANGE_AT_SNAPSHOT),
          Map.entry(
              "TransactionContract.conflictsOnTheDeletionOfAThousandKeysOfARange",
              RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.conflictsOnTheExpiryOfAReadKey", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.listsItsOwnWritesInEitherDirection", RANGE_AT_SNAPSHOT),
          Map.entry(
              "TransactionContract.conflictsOnlyWithinTheConsumedPartOfAList", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.conflictsOnPhantoms", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.readsItsOwnArithmetic", DELETE_RANGE),
          Map.entry("TransactionContract.readsItsOwnTouch", TOUCH),
          Map.entry(
              "TransactionContract.writesVersionstampedKeysWithoutReadingThemBack",
              RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.doesNotConflictOnUnreadKeys", RANGE_AT_SNAPSHOT),
          Map.entry("TransactionContract.conflictsOnWriteSkew", RANGE_AT_SNAPSHOT),
          Map.entry("WatchContract.emitsOnlyChangesOfWatchedKeys", DELETE_RANGE),
          Map.entry("WatchContract.emitsDeletionsOfRanges", DELETE_RANGE));

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
