// Tests of BuiltInHub.
