"""A sender to Azure from PyPI. Takes a connection string, the properties as JSON and a tag expression; sends them once."""
import json
import sys

from notificationhubs_rest_python.NotificationHub import AzureNotificationHub

CONNECTION, PROPERTIES, TAGS = sys.argv[1:4]
AzureNotificationHub(CONNECTION, "news").send_template_notification(json.loads(PROPERTIES), TAGS)
