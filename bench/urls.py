"""The product's routes with the reference views beside them."""

from django.urls import include, path

from bench import reference

urlpatterns = [
    path("bench/bytes/<str:name>/", reference.same_bytes),
    path("bench/note/", reference.insert_note),
    path("", include("config.urls")),
]
