package io.kvreactive.internal.shared;

import io.kvreactive.internal.store.file.Uptime;
import java.util.function.LongSupplier;

/**
 * The clocks of a machine.
 *
 * @param wallMillis the wall clock, milliseconds since 1970
 * @param nanos a clock that does not jump, in nanoseconds
 * @param suspendedMillis milliseconds for which the machine was suspended and {@code nanos} stood
 *     still, counted from an arbitrary origin; {@link Long#MIN_VALUE} if that is not known
 */
public record ClockSources(
    LongSupplier wallMillis, LongSupplier nanos, LongSupplier suspendedMillis) {
  /** Returns the clocks of this machine. Suspension is known on Linux only. */
  public static ClockSources system() {
    return of(System::currentTimeMillis);
  }

  /** Returns the clocks of this machine, with another wall clock. */
  public static ClockSources of(LongSupplier wallMillis) {
    return new ClockSources(wallMillis, System::nanoTime, Uptime::suspendedMillis);
  }
}
