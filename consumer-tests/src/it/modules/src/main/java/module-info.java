module consumer {
  requires io.kvreactive;
  requires io.kvreactive.documents;
  requires io.vertx.core;
  requires org.reactivestreams;
  requires reactor.core;

  opens consumer to
      com.fasterxml.jackson.databind;
}
