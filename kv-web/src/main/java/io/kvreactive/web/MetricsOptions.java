package io.kvreactive.web;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;

/**
 * Options of {@code /metrics}. With Micrometer's registry for Prometheus, {@code scrape} is {@code
 * registry::scrape}.
 *
 * @param registry the registry to which the server adds the meters of its stores
 * @param scrape returns all meters in the text format of Prometheus; runs on a worker thread
 * @param shownToAll true if remote callers may read {@code /metrics} without a token
 */
public record MetricsOptions(MeterRegistry registry, Supplier<String> scrape, boolean shownToAll) {}
