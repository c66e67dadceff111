// Tests of Publish.
