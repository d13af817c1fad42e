package io.kvreactive.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The header of the metadata response by which servers of this project send their limits, and by
 * which clients recognize them. It is a header because npm's client rejects unknown properties. Its
 * value is {@code maxKeyBytes=2048,maxReadKeyBytes=2071,…}. In it, {@code maxKeysPerGetMany} is the
 * maximum number of ranges of one request, and {@code maxBatchSize} the maximum number of entries.
 * {@code expiry=1} says that reads and watches return times of expiry if the request asks for them.
 */
public final class LimitsHeader {
  public static final String NAME = "X-Kv-Limits";

  private static final String EXPIRY = "expiry=1";
  private static final int MAX_BYTES = 4096;
  private static final RecordComponent[] COMPONENTS = KvLimits.class.getRecordComponents();

  private LimitsHeader() {}

  /** Returns the header's value. */
  public static String print(KvLimits limits) {
    return Arrays.stream(COMPONENTS)
        .map(component -> component.getName() + "=" + get(component, limits))
        .collect(Collectors.joining(",", "", "," + EXPIRY));
  }

  /**
   * Parses the header's value. Unknown names are ignored, and missing ones are as in {@link
   * KvLimits#DENO}.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  public static KvLimits parse(String header) {
    if (header.length() > MAX_BYTES) {
      throw invalid(header.substring(0, 40) + "…");
    }
    Map<String, Integer> stated = new HashMap<>();
    for (String limit : header.split(",", -1)) {
      String[] parts = limit.strip().split("=", 2);
      if (parts.length != 2) {
        throw invalid(header);
      }
      try {
        stated.put(parts[0], Integer.valueOf(parts[1]));
      } catch (NumberFormatException e) {
        throw invalid(header);
      }
    }
    Object[] values =
        Arrays.stream(COMPONENTS)
            .map(
                component ->
                    stated.getOrDefault(component.getName(), get(component, KvLimits.DENO)))
            .toArray();
    Class<?>[] types =
        Arrays.stream(COMPONENTS).map(RecordComponent::getType).toArray(Class[]::new);
    try {
      return KvLimits.class.getConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw invalid(header);
    }
  }

  /** Returns true if the header's value says that times of expiry can be requested. */
  public static boolean sendsExpiry(String header) {
    return Arrays.asList(header.split(",", -1)).contains(EXPIRY);
  }

  private static Integer get(RecordComponent component, KvLimits limits) {
    try {
      return (Integer) component.getAccessor().invoke(limits);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KvException invalid(String header) {
    return new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        NAME + ": \"" + header + "\" (expected: names and numbers, such as maxKeyBytes=2048)");
  }
}
