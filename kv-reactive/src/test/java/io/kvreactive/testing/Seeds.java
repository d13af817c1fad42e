package io.kvreactive.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * Runs a parameterized test with the seeds from 1 to a number of each form.
 *
 * @see Tries
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(Seeds.Provider.class)
public @interface Seeds {

  /** The number of seeds in the short form. */
  int shortForm();

  /** The number of seeds in the long form. */
  int longForm();

  /** The seeds of the form. */
  final class Provider implements ArgumentsProvider {
    @Override
    public Stream<? extends Arguments> provideArguments(
        ParameterDeclarations parameters, ExtensionContext context) {
      Seeds seeds = context.getRequiredTestMethod().getAnnotation(Seeds.class);
      int count = Tries.of(seeds.shortForm(), seeds.longForm());
      return LongStream.rangeClosed(1, count).mapToObj(Arguments::of);
    }
  }
}
